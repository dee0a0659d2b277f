"""Run `keras-bert export_saved_model`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("export_saved_model")
