import { DocumentFault } from './document-fault.js';
import { extractText } from './extract-text.js';
import type { ProcessAnswer, ProcessTask } from './process-messages.js';
import { redactText } from './redact-text.js';

// One piece of work a process: whatever a document does to it ends with it.

async function answer(task: ProcessTask): Promise<ProcessAnswer> {
  if (task.kind === 'extract') return { kind: 'text', text: await extractText(task.mediaType, task) };
  if (task.mediaType === 'text/plain') return { kind: 'bytes', bytes: redactText(task.bytes, task.terms) };
  // Loaded where it is needed: most pieces of work draw nothing.
  const { redactPdf } = await import('./redact-pdf.js');
  return { kind: 'bytes', bytes: await redactPdf(task) };
}

function faultOf(error: unknown): ProcessAnswer {
  const { code, missing } = error instanceof DocumentFault ? error : new DocumentFault('UNREADABLE');
  return { kind: 'fault', code, missing };
}

process.once('message', (task: ProcessTask) => {
  void answer(task)
    .catch(faultOf)
    .then((told) => process.send?.(told, () => process.exit(0)));
});
// Whoever asked is gone.
process.once('disconnect', () => process.exit(0));
