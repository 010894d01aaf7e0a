import { problem } from '../../shared/errors/problem.js';

/** The headers of a part of a form (RFC 7578 section 4). */
export interface PartHead {
  readonly name: string;
  /** As sent; null if the part is not a file. */
  readonly filename: string | null;
  /** `type/subtype` in lower case; null without a Content-Type. */
  readonly mediaType: string | null;
}

const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary']);
const malformed = (message: string): Error => problem('MALFORMED_BODY', { message });

/** The head of a part of multipart/mixed, which need not have a name or filename. @throws MALFORMED_BODY */
export function mixedPartHeadOf(bytes: Buffer): PartHead {
  const headers = headersOf(textOf(bytes));
  refuseEncoded(headers);
  return { name: '', filename: '', mediaType: typeOf(headers) };
}

/** @throws MALFORMED_BODY */
export function partHeadOf(bytes: Buffer): PartHead {
  const headers = headersOf(textOf(bytes));
  const disposition = headers.get('content-disposition');
  if (disposition === undefined || !/^form-data\s*(;|$)/i.test(disposition)) {
    throw malformed('A part has no Content-Disposition: form-data.');
  }
  refuseEncoded(headers);
  const parameters = parametersOf(disposition);
  const name = parameters.get('name');
  if (name === undefined) throw malformed('A part has no name.');
  return {
    name,
    filename: extended(parameters.get('filename*')) ?? parameters.get('filename') ?? null,
    mediaType: typeOf(headers),
  };
}

function refuseEncoded(headers: ReadonlyMap<string, string>): void {
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase();
  if (encoding !== undefined && !PLAIN_ENCODINGS.has(encoding)) {
    throw malformed('Send parts without a Content-Transfer-Encoding.');
  }
}

function typeOf(headers: ReadonlyMap<string, string>): string | null {
  const type = headers.get('content-type');
  return type === undefined ? null : (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** Reads names as UTF-8 (RFC 7578 section 5.1), else as Latin-1. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

function headersOf(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    if (line === '') continue;
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value))
      throw malformed('A part has a broken header.');
    if (headers.has(name.toLowerCase())) throw malformed('A part repeats a header.');
    headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

/** `; name="value"; other=token`. A backslash escapes only a quote or itself, because some senders send Windows paths. */
function parametersOf(disposition: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const rest = disposition.replace(/^form-data\s*/i, '');
  const PARAMETER = /\s*;\s*([A-Za-z*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*/gy;
  let end = 0;
  for (const match of rest.matchAll(PARAMETER)) {
    const [whole, name = '', quoted, token] = match;
    end = match.index + whole.length;
    if (parameters.has(name.toLowerCase())) throw malformed('A part repeats a parameter.');
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token ?? '');
  }
  if (rest.slice(end).replace(/^\s*;?\s*$/, '') !== '') throw malformed('A part has a broken Content-Disposition.');
  return parameters;
}

/** `UTF-8''percent-encoded` (RFC 8187); undefined for another form. */
function extended(value: string | undefined): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
