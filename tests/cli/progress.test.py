"""progress.test.py TESSERA PATIENCE ARGUMENT…: runs it with standard error on a terminal; prints each line that was shown
there and erased (shown:), and what is left in the end (left:)."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
environment = dict(os.environ, TERM="xterm", NO_COLOR="1", TESSERA_PROGRESS=sys.argv[2])
process = subprocess.Popen([sys.argv[1], *sys.argv[3:]], stdout=subprocess.DEVNULL, stderr=slave,
                           stdin=subprocess.DEVNULL, env=environment)
os.close(slave)
data = b""
while True:
    try:
        read = os.read(master, 65536)
    except OSError:  # the other end is closed
        break
    if not read:
        break
    data += read
process.wait()
lines = data.decode().replace("\r\n", "\n").split("\r\033[K")
left = lines[0]
for line in lines[1:]:
    if "\n" in line or line is lines[-1]:
        left += line
    elif line:
        print("shown:", line)
print("left:", left.rstrip("\n"))
