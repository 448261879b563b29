"""Learning which passages, and which plans, lead to better answers; needs no torch except where a file says so."""
