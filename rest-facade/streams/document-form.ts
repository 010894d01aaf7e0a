import { createHash } from 'node:crypto';
import { sha256Hex } from '../../shared/crypto/hash.js';
import { type FieldFault, fault, problem } from '../../shared/errors/problem.js';
import type { JsonSchema } from '../../shared/graph/json-schema.js';
import { canonicalJson } from '../../shared/json/canonical.js';
import { isJsonObject, type JsonObject, parseStrictJson } from '../../shared/json/strict-json.js';
import type { WormBlob } from '../../shared/worm/worm-store.js';
import type { RawContent } from '../route.js';
import { cleanFilename } from './filename.js';
import { boundaryOf, type FormPart, formParts } from './multipart.js';

// The form of POST /v1/documents: one `file`, and fields before or behind it (api.md section 3 "Documents").

export const FORM_MEDIA_TYPE = 'multipart/form-data';

/** Form fields, and the member of the upload that each one is. */
const SINGLE = {
  matter_id: 'matter_id',
  document_type: 'document_type',
  title: 'title',
  source_system: 'source_system',
  effective_at: 'effective_at',
} as const;
/** A repeated field, or one with a JSON array. */
const LISTS = { member_id: 'member_ids', event_ids: 'event_ids', tags: 'tags' } as const;
const FILE = 'file';
const TENANT = 'tenant_id';

const MOST_FIELD_BYTES = 65_536;
const MOST_PARTS = 2_048;
const UNDECLARED = 'application/octet-stream';

export interface DocumentForm {
  readonly blob: WormBlob;
  readonly filename: string;
  readonly mediaType: string;
  /** Members of the upload, as far as they were given. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly tenantId: string | undefined;
}

const refused = (...errors: FieldFault[]): Error => problem('VALIDATION_ERROR', { errors });

/** What is known of a form before its file is: thrown upon, nothing is stored. */
export type JudgeForm = (form: Pick<DocumentForm, 'filename' | 'mediaType' | 'fields' | 'tenantId'>) => void;

/**
 * Reads a form, its file straight into `store`. The end of the file is told only when the form has ended as well and is judged:
 * what stores commits at that end, so that a form which is broken, refused or left half sent stores nothing.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_BODY, VALIDATION_ERROR, PAYLOAD_TOO_LARGE, and what `judge` throws
 */
export async function readDocumentForm(
  content: RawContent | undefined,
  store: (bytes: AsyncIterable<Buffer>) => Promise<WormBlob>,
  judge: JudgeForm,
): Promise<DocumentForm> {
  const boundary = boundaryOf(content?.contentType ?? '');
  if (!content || boundary === null) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: `Send ${FORM_MEDIA_TYPE} with a boundary.` });
  }
  return new FormReader(formParts(content.stream as AsyncIterable<Buffer>, boundary), store, judge).read();
}

/**
 * What makes two forms the same (api.md section 1: their fields and the file's hash), however they are written. The tenant is
 * compared elsewhere.
 */
export const formDigest = ({ blob, filename, mediaType, fields }: DocumentForm): string =>
  sha256Hex(canonicalJson({ sha256: blob.sha256, filename, mediaType, fields } as unknown as JsonObject));

/** The digest of a form that is read for nothing else: nothing of it is stored. */
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
      throw refused(fault(`/${FILE}`, 'required', 'A form holds one file.'));
    }
    return { blob: this.#blob, filename, mediaType, fields: this.#fields, tenantId: this.#tenantId };
  }

  /** Every part that has not come yet. */
  async #rest(): Promise<void> {
    for (let next = await this.#form.next(); next.done !== true; next = await this.#form.next()) {
      await this.#take(next.value);
    }
  }

  async #take(part: FormPart): Promise<void> {
    this.#parts++;
    if (this.#parts > MOST_PARTS) throw refused(fault('', 'length', `A form has at most ${MOST_PARTS} parts.`));
    if (part.name === FILE) return this.#takeFile(part);
    const path = `/${part.name.slice(0, 100)}`;
    if (part.filename !== null) throw refused(fault(path, 'unknown_field', 'The one file of a form is called "file".'));
    if (part.name === TENANT) {
      if (this.#tenantId !== undefined) throw refused(fault(path, 'repeated', 'Given twice.'));
      this.#tenantId = await textOf(part, path);
      return;
    }
    if (Object.hasOwn(LISTS, part.name)) {
      const name = LISTS[part.name as keyof typeof LISTS];
      const earlier = this.#fields[name] ?? [];
      this.#fields[name] = [...earlier, ...listOf(await textOf(part, path), path)];
      return;
    }
    if (!Object.hasOwn(SINGLE, part.name)) throw refused(fault(path, 'unknown_field', 'Unknown field.'));
    if (Object.hasOwn(this.#fields, part.name)) throw refused(fault(path, 'repeated', 'Given twice.'));
    this.#fields[SINGLE[part.name as keyof typeof SINGLE]] = await textOf(part, path);
  }

  async #takeFile({ filename, mediaType, body }: FormPart): Promise<void> {
    const path = `/${FILE}`;
    if (this.#file !== null) throw refused(fault(path, 'repeated', 'A form holds one file.'));
    if (filename === null) throw refused(fault(path, 'type', 'Must be a file: a part with a filename.'));
    const declared = mediaType === null || mediaType === '' ? UNDECLARED : mediaType;
    const file = { filename: cleanFilename(filename), mediaType: declared };
    this.#file = file;
    this.#blob = await this.#store(this.#bytes(body, file));
  }

  /** The file's bytes; their end is the form's. */
  async *#bytes(body: AsyncIterable<Buffer>, file: Pick<DocumentForm, 'filename' | 'mediaType'>) {
    let isEmpty = true;
    for await (const piece of body) {
      isEmpty = false;
      yield piece;
    }
    if (isEmpty) throw refused(fault(`/${FILE}`, 'length', 'The file is empty.'));
    await this.#rest();
    this.#judge({ ...file, fields: this.#fields, tenantId: this.#tenantId });
  }
}

async function textOf({ body }: FormPart, path: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MOST_FIELD_BYTES)
      throw refused(fault(path, 'length', `A field has at most ${MOST_FIELD_BYTES} bytes.`));
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch {
    throw refused(fault(path, 'encoding', 'Must be text in UTF-8.'));
  }
}

/** One value, or a JSON array of them. */
function listOf(text: string, path: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return [text];
  let value: unknown;
  try {
    value = parseStrictJson(Buffer.from(text));
  } catch {
    throw refused(fault(path, 'json', 'Begins like a JSON array and is none.'));
  }
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  throw refused(fault(path, 'type', 'Must be a JSON array of strings.'));
}

/** What OpenAPI says of the form. @param upload the schema of the upload that the fields become. */
export function formSchema(upload: JsonSchema): JsonSchema {
  const members = isJsonObject(upload['properties']) ? upload['properties'] : {};
  const of = (name: string): JsonSchema => (isJsonObject(members[name]) ? members[name] : {});
  const single = Object.entries(SINGLE).map(([field, member]) => [field, of(member)] as const);
  const lists = Object.entries(LISTS).map(([field, member]) => [field, of(member)] as const);
  return {
    type: 'object',
    properties: {
      [FILE]: { type: 'string', contentEncoding: 'binary', description: 'The document.' },
      ...Object.fromEntries([...single, ...lists]),
      [TENANT]: { type: 'string', description: 'May repeat the tenant of the request.' },
    },
    required: [FILE],
    additionalProperties: false,
  };
}
