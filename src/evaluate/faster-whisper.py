"""Transcribes with faster-whisper, one request per line; the other side is faster-whisper.ts.

Arguments: the CTranslate2 folder, plain | vad | batched, the beam, the threads, word times on | off.
Only the evaluator's own Python runs this file; Stenobox itself runs none.
"""
import json
import os
import sys
import time

# Libraries print what they like to stdout: our answers get a copy of it, and stdout becomes stderr.
ANSWERS = os.fdopen(os.dup(1), 'w', encoding='utf-8')
os.dup2(2, 1)


def answer(value):
    ANSWERS.write(json.dumps(value) + '\n')
    ANSWERS.flush()


def main():
    folder, mode, beam, threads, words = sys.argv[1:6]
    try:
        import ctranslate2
        import faster_whisper
    except ImportError as error:
        answer({'missing': str(error)})
        return
    started = time.monotonic()
    model = faster_whisper.WhisperModel(folder, device='cpu', compute_type='int8', cpu_threads=int(threads))
    options = {'beam_size': int(beam), 'word_timestamps': words == 'on'}
    if mode == 'vad':
        options['vad_filter'] = True
    if mode == 'batched':
        model = faster_whisper.BatchedInferencePipeline(model=model)
        options['batch_size'] = 8
    answer({'fasterWhisper': faster_whisper.__version__, 'ctranslate2': ctranslate2.__version__, 'loadSeconds': time.monotonic() - started})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            segments, found = model.transcribe(request['path'], language=request.get('language'), **options)
            # Segments are decoded while they are read.
            text = ''.join(segment.text for segment in segments).strip()
            answer({'text': text, 'language': found.language})
        except Exception as error:  # A recording that fails is a result, not the end.
            answer({'failure': f'{type(error).__name__}: {error}'})


main()
