import { randomBytes } from 'node:crypto';
import { delay } from '../../shared/clock/timers.js';
import type { Answer, Http } from '../support/http.js';

export interface FormFile {
  readonly bytes: Uint8Array;
  readonly filename?: string;
  readonly type?: string;
  /** `file` by default. */
  readonly field?: string;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A form as curl sends it; `order` puts fields before or behind the file. */
export function formOf(file: FormFile | null, fields: Fields = {}, order: 'before' | 'behind' = 'before') {
  const boundary = `----eas-${randomBytes(8).toString('hex')}`;
  const pieces: Buffer[] = [];
  const part = (head: string, bytes: Uint8Array) =>
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(bytes), Buffer.from('\r\n'));
  const takeFile = () => {
    if (file === null) return;
    const { bytes, filename = 'letter.txt', type = 'text/plain', field = 'file' } = file;
    part(`Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}`, bytes);
  };
  if (order === 'behind') takeFile();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat())
      part(`Content-Disposition: form-data; name="${name}"`, Buffer.from(value as string));
  }
  if (order === 'before') takeFile();
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { body: Buffer.concat(pieces), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

export function upload(
  http: Http,
  file: FormFile | string,
  fields: Fields = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = formOf(typeof file === 'string' ? { bytes: Buffer.from(file) } : file, fields);
  return http.post('/v1/documents', form.body, { ...form.headers, ...headers });
}

const SCAN_DEADLINE_MS = 150_000;

/** The record of an upload once its scan is over: nothing but a person changes it from then on. */
export async function uploadScanned(http: Http, file: FormFile | string, fields: Fields = {}): Promise<Answer> {
  const made = await upload(http, file, fields);
  if (made.status !== 200) return made;
  const deadlineMs = Date.now() + SCAN_DEADLINE_MS;
  for (;;) {
    const answer = await http.get(`/v1/documents/${made.json.document_id}/metadata`);
    if (answer.json.scan?.status !== 'PENDING' || Date.now() > deadlineMs) return answer;
    await delay(50);
  }
}

/** What the scan takes for a program of Linux; another one for each `n`. */
export const programOf = (n: number): Buffer =>
  Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]), Buffer.from(`${n}`)]);
