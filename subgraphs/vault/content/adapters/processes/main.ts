import { extractText } from '../text/extract-text.js';
import { redactText } from '../text/plain-text.js';
import { DocumentFault, type ProcessAnswer, type ProcessTask, processTask } from './messages.js';

// One process runs one task: whatever a document does to the process ends with it.

async function answer(task: ProcessTask): Promise<ProcessAnswer> {
  if (task.kind === 'extract') return { kind: 'text', text: await extractText(task.mediaType, task) };
  if (task.mediaType === 'text/plain') return { kind: 'bytes', bytes: redactText(task.bytes, task.terms) };
  if (task.mediaType === 'image/png' || task.mediaType === 'image/jpeg') {
    const { redactImage } = await import('../image/redact-image.js');
    return {
      kind: 'bytes',
      bytes: await redactImage({ mediaType: task.mediaType, bytes: task.bytes, pages: task.pages }),
    };
  }
  // Loaded on demand: most tasks draw nothing.
  const { redactPdf } = await import('../pdf/redact-pdf.js');
  return { kind: 'bytes', bytes: await redactPdf(task) };
}

function faultOf(error: unknown): ProcessAnswer {
  const { code, missing } = error instanceof DocumentFault ? error : new DocumentFault('UNREADABLE');
  return { kind: 'fault', code, missing };
}

process.once('message', (message) => {
  void answer(processTask.parse(message))
    .catch(faultOf)
    .then((result) => process.send?.(result, () => process.exit(0)));
});
// The parent process is gone.
process.once('disconnect', () => process.exit(0));
