// Requests are a linked list. The calling thread sleeps until there is a request or the body has
// ended. A request lives on the stack of the requesting thread, which sleeps until it is done, so
// nothing is allocated.
#include "base/errand.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct Errand {
  struct Errand *next;
  void (*run)(void *arg);
  void *arg;
  bool done;
} Errand;

struct Errands {
  pthread_mutex_t lock;     // guards all below
  pthread_cond_t asked;     // there is a request, or the body has ended
  pthread_cond_t finished;  // a request is done
  Errand *first, **end;
  bool ended;
  Status *(*body)(Errands *errands, void *arg);
  void *arg;
  Status *status;  // of the body
};

static void *body_main(void *arg) {
  Errands *e = arg;
  Status *status = e->body(e, e->arg);
  pthread_mutex_lock(&e->lock);
  e->status = status;
  e->ended = true;
  pthread_cond_signal(&e->asked);
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static void run_errands(Errands *e) {
  pthread_mutex_lock(&e->lock);
  while (!e->ended || e->first) {
    Errand *next = e->first;
    if (!next) {
      pthread_cond_wait(&e->asked, &e->lock);
      continue;
    }
    e->first = next->next;
    if (!e->first) e->end = &e->first;
    pthread_mutex_unlock(&e->lock);
    next->run(next->arg);
    pthread_mutex_lock(&e->lock);
    next->done = true;
    pthread_cond_broadcast(&e->finished);
  }
  pthread_mutex_unlock(&e->lock);
}

Status *errands_run(Status *(*body)(Errands *errands, void *arg), void *arg) {
  Errands e = {.body = body, .arg = arg};
  e.end = &e.first;
  pthread_mutex_init(&e.lock, NULL);
  pthread_cond_init(&e.asked, NULL);
  pthread_cond_init(&e.finished, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, body_main, &e) == 0) {
    run_errands(&e);
    pthread_join(thread, NULL);
  } else {
    e.status = status_new(RESOURCE_EXHAUSTED, __FILE__, __LINE__,
                          "a thread for a run with callbacks could not be made");
  }
  pthread_mutex_destroy(&e.lock);
  pthread_cond_destroy(&e.asked);
  pthread_cond_destroy(&e.finished);
  return e.status;
}

void errand(Errands *e, void (*run)(void *arg), void *arg) {
  Errand own = {.run = run, .arg = arg};
  pthread_mutex_lock(&e->lock);
  *e->end = &own;
  e->end = &own.next;
  pthread_cond_signal(&e->asked);
  while (!own.done) pthread_cond_wait(&e->finished, &e->lock);
  pthread_mutex_unlock(&e->lock);
}
