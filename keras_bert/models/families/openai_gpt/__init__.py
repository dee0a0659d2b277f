"""GPT-1, wired from layers: blocks of BERT that look to the left only."""
