// A prediction with what is needed to show it: names of its values. The command line and the C API
// share it.
#ifndef TESSERA_PIPELINE_PREDICTED_H
#define TESSERA_PIPELINE_PREDICTED_H

#include "pipeline/simulate.h"
#include "report/show_simulated.h"

typedef struct Predicted {
  ShowSimulated show;
  Words words;
  SymbolTable functions;
  Arena scratch;
  bool ready;
} Predicted;

// predicted_deinit after it, also after a throw, before the session is freed.
void predicted_init(Predicted *predicted, Session *session, const Prediction *prediction,
                    Guard *guard);
void predicted_deinit(Predicted *predicted);  // {0} is fine

#endif
