import keras_bert
from keras_bert import export

classifier = keras_bert.TextClassifier.from_pretrained("mood")
export.export_saved_model(classifier, "served/mood", version=2)
export.export_onnx(classifier, "mood_onnx")
export.export_openvino(classifier, "mood_openvino", precision="float16")
files = export.export_tflite(classifier, "mood.tflite", files=["text"])
print(files["text"].megabytes)
classifier.export_onnx("mood_onnx", packed=True, precision="int8")
print(classifier.export_tflite("mood.tflite", "float16")["ids"].cosine)
