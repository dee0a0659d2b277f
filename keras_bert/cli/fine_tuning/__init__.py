"""Fine-tuning as a program: flags, recipes, trials and the files they leave."""
