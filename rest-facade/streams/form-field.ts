import { fault, problem } from '../../shared/errors/problem.js';
import type { FormPart } from './multipart.js';

const MOST_FIELD_BYTES = 65_536;

/** The error of one field of a form. @param path its pointer */
export const refusedField = (path: string, code: string, message: string): Error =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

/** Reads the text of a field of a form. @param path its pointer, for errors @throws VALIDATION_ERROR */
export async function smallTextOf({ body }: FormPart, path: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MOST_FIELD_BYTES) throw refusedField(path, 'length', `A field has at most ${MOST_FIELD_BYTES} bytes.`);
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch {
    throw refusedField(path, 'encoding', 'Must be text in UTF-8.');
  }
}
