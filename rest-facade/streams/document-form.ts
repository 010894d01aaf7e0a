import { createHash } from 'node:crypto';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { problem } from '../../shared/errors/problem.js';
import { cleanFilename } from '../../shared/files/clean-filename.js';
import type { JsonSchema } from '../../shared/graph/json-schema.js';
import { canonicalJson } from '../../shared/json/canonical.js';
import { isJsonObject, type JsonObject, parseStrictJson } from '../../shared/json/strict-json.js';
import type { WormBlob } from '../../shared/worm/worm-store.js';
import type { RawContent } from '../route.js';
import { refusedField, smallTextOf } from './form-field.js';
import { type FormPart, formBoundaryOf, formParts } from './multipart.js';

// The form of POST /v1/documents: one `file`, with fields before or after it (api.md section 3 "Documents").

export const FORM_MEDIA_TYPE = 'multipart/form-data';

/** The member of the upload for each form field. */
const SINGLE = {
  matter_id: 'matter_id',
  document_type: 'document_type',
  title: 'title',
  source_system: 'source_system',
  effective_at: 'effective_at',
} as const;
/** A repeated field, or one with a JSON array. */
const LISTS = { member_id: 'member_ids', event_ids: 'event_ids', tags: 'tags' } as const;
const isIn = <T extends object>(table: T, name: PropertyKey): name is keyof T => Object.hasOwn(table, name);
const FILE = 'file';
const TENANT = 'tenant_id';

const MOST_PARTS = 2_048;
const UNDECLARED = 'application/octet-stream';

export interface DocumentForm {
  readonly blob: WormBlob;
  readonly filename: string;
  readonly mediaType: string;
  /** The given members of the upload. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly tenantId: string | undefined;
}

/** Checks a form before its file is stored; if it throws, nothing is stored. */
export type JudgeForm = (form: Pick<DocumentForm, 'filename' | 'mediaType' | 'fields' | 'tenantId'>) => void;

/**
 * Reads a form and streams its file into `store`. The stream of the file ends only after the whole form was read and checked.
 * The store commits at that end, so a broken, rejected or incomplete form stores nothing.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_BODY, VALIDATION_ERROR, PAYLOAD_TOO_LARGE, and what `judge` throws
 */
export async function readDocumentForm(
  content: RawContent | undefined,
  store: (bytes: AsyncIterable<Buffer>) => Promise<WormBlob>,
  judge: JudgeForm,
): Promise<DocumentForm> {
  const boundary = formBoundaryOf(content?.contentType ?? '');
  if (!content || boundary === null) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: `Send ${FORM_MEDIA_TYPE} with a boundary.` });
  }
  return new FormReader(formParts(content.stream, boundary), store, judge).read();
}

/**
 * The digest that identifies a form under an Idempotency-Key: its fields and the hash of its file (api.md section 1). The
 * tenant is compared elsewhere.
 */
export const formDigest = ({ blob, filename, mediaType, fields }: DocumentForm): string =>
  sha256Hex(canonicalJson({ sha256: blob.sha256, filename, mediaType, fields: copied(fields) }));

const copied = (fields: DocumentForm['fields']): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

/** Reads a form only for its digest; stores nothing. */
export const digestOfForm = async (content: RawContent): Promise<string> =>
  formDigest(await readDocumentForm(content, hashOnly, () => undefined));

async function hashOnly(bytes: AsyncIterable<Buffer>): Promise<WormBlob> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { sha256: hash.digest('hex'), sizeBytes, created: false };
}

class FormReader {
  readonly #form: AsyncIterator<FormPart>;
  readonly #store: (bytes: AsyncIterable<Buffer>) => Promise<WormBlob>;
  readonly #judge: JudgeForm;
  readonly #fields: Record<string, string | string[]> = {};
  #file: Pick<DocumentForm, 'filename' | 'mediaType'> | null = null;
  #blob: WormBlob | null = null;
  #tenantId: string | undefined;
  #parts = 0;

  constructor(
    form: AsyncIterator<FormPart>,
    store: (bytes: AsyncIterable<Buffer>) => Promise<WormBlob>,
    judge: JudgeForm,
  ) {
    this.#form = form;
    this.#store = store;
    this.#judge = judge;
  }

  async read(): Promise<DocumentForm> {
    await this.#rest();
    const { filename, mediaType } = this.#file ?? {};
    if (filename === undefined || mediaType === undefined || this.#blob === null) {
      throw refusedField(`/${FILE}`, 'required', 'A form must have exactly one file.');
    }
    return { blob: this.#blob, filename, mediaType, fields: this.#fields, tenantId: this.#tenantId };
  }

  /** Reads the remaining parts. */
  async #rest(): Promise<void> {
    for (let next = await this.#form.next(); next.done !== true; next = await this.#form.next()) {
      await this.#take(next.value);
    }
  }

  async #take(part: FormPart): Promise<void> {
    this.#parts++;
    if (this.#parts > MOST_PARTS) throw refusedField('', 'length', `A form has at most ${MOST_PARTS} parts.`);
    if (part.name === FILE) return this.#takeFile(part);
    const path = `/${part.name.slice(0, 100)}`;
    if (part.filename !== null) throw refusedField(path, 'unknown_field', 'Send the file in the field "file".');
    if (part.name === TENANT) {
      if (this.#tenantId !== undefined) throw refusedField(path, 'repeated', 'Must be given once.');
      this.#tenantId = await smallTextOf(part, path);
      return;
    }
    if (isIn(LISTS, part.name)) {
      const name = LISTS[part.name];
      const earlier = this.#fields[name] ?? [];
      this.#fields[name] = [...earlier, ...listOf(await smallTextOf(part, path), path)];
      return;
    }
    if (!isIn(SINGLE, part.name)) throw refusedField(path, 'unknown_field', 'Unknown field.');
    if (Object.hasOwn(this.#fields, part.name)) throw refusedField(path, 'repeated', 'Must be given once.');
    this.#fields[SINGLE[part.name]] = await smallTextOf(part, path);
  }

  async #takeFile({ filename, mediaType, body }: FormPart): Promise<void> {
    const path = `/${FILE}`;
    if (this.#file !== null) throw refusedField(path, 'repeated', 'A form must have exactly one file.');
    if (filename === null) throw refusedField(path, 'type', 'Must be a file: a part with a filename.');
    const declared = mediaType === null || mediaType === '' ? UNDECLARED : mediaType;
    const file = { filename: cleanFilename(filename), mediaType: declared };
    this.#file = file;
    this.#blob = await this.#store(this.#bytes(body, file));
  }

  /** The bytes of the file; the stream ends with the form. */
  async *#bytes(body: AsyncIterable<Buffer>, file: Pick<DocumentForm, 'filename' | 'mediaType'>) {
    let isEmpty = true;
    for await (const piece of body) {
      isEmpty = false;
      yield piece;
    }
    if (isEmpty) throw refusedField(`/${FILE}`, 'length', 'The file is empty.');
    await this.#rest();
    this.#judge({ ...file, fields: this.#fields, tenantId: this.#tenantId });
  }
}

/** Reads one value or a JSON array of values. */
function listOf(text: string, path: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return [text];
  let value: unknown;
  try {
    value = parseStrictJson(Buffer.from(text));
  } catch {
    throw refusedField(path, 'json', 'Must be a valid JSON array.');
  }
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  throw refusedField(path, 'type', 'Must be a JSON array of strings.');
}

/** The OpenAPI schema of the form. @param upload the schema of the upload. */
export function formSchema(upload: JsonSchema): JsonSchema {
  const members = isJsonObject(upload['properties']) ? upload['properties'] : {};
  const of = (name: string): JsonSchema => (isJsonObject(members[name]) ? members[name] : {});
  const single = Object.entries(SINGLE).map(([field, member]) => [field, of(member)] as const);
  const lists = Object.entries(LISTS).map(([field, member]) => [field, of(member)] as const);
  return {
    type: 'object',
    properties: {
      [FILE]: { type: 'string', format: 'binary', description: 'The document.' },
      ...Object.fromEntries([...single, ...lists]),
      [TENANT]: { type: 'string', description: 'May repeat the tenant of the request.' },
    },
    required: [FILE],
    additionalProperties: false,
  };
}
