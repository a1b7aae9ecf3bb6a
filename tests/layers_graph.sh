#!/bin/bash
# layers_graph: the chart of directories in ARCHITECTURE.md is the one that src/LAYERS gives.
cd "$(dirname "$0")/.." && exec tools/layers-graph --check ARCHITECTURE.md
