"""Input checks, training and distillation for fine-tuned tasks."""
