import { createHash } from 'node:crypto';
import { problem } from '../../shared/errors/problem.js';
import type { Validator } from '../../shared/graph/validator.js';
import { canonicalJson } from '../../shared/json/canonical.js';
import type { RawContent, RouteServices } from '../route.js';
import { type EbcdicPage, fromEbcdic } from './ebcdic.js';
import { refusedField, smallTextOf } from './form-field.js';
import { boundaryOf, type FormPart, formParts } from './multipart.js';
import { mixedPartHeadOf, partHeadOf } from './part-head.js';
import { mediaTypeOf, nonEmpty, refuseAnnounced } from './raw-content.js';
import type { RawMessage, Statements } from './raw-message.js';
import { isStatement, STATEMENT_NAMES } from './raw-schemas.js';
import { unpacked } from './unpack.js';

// The form of POST /v1/ingest/raw: its files are read one after the other, each on a new line, as one body of one
// format, as the files of a ZIP are. Fields may be before or after them.

export const RAW_FORM_MEDIA_TYPES = ['multipart/form-data', 'multipart/mixed'] as const;

/** Names of parts that are messages also without a filename. */
const MESSAGE_NAMES: ReadonlySet<string> = new Set(['file', 'content']);
const MOST_FILES = 1_000;
/** Room for the fields and boundaries of a form in addition to its files. */
const FORM_BYTES = 1_048_576;

export const isRawForm = (contentType: string): boolean =>
  RAW_FORM_MEDIA_TYPES.some((type) => type === mediaTypeOf(contentType));

/** A form as one raw message. */
type RawForm = RawMessage & { readonly digest: () => string };

/**
 * Reads a form as one raw message. `stated` and `digest` are known once `bytes` was read to its end. A rejected form ends
 * `bytes` with an error, so that the store keeps nothing of it.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE without a boundary, PAYLOAD_TOO_LARGE by its Content-Length
 */
export function rawFormOf(content: RawContent, limits: RouteServices['limits'], fieldFaults: Validator): RawForm {
  const boundary = boundaryOf(content.contentType);
  if (boundary === null) throw problem('UNSUPPORTED_MEDIA_TYPE', { message: 'A form must state its boundary.' });
  refuseAnnounced(content, limits.rawBytes + FORM_BYTES);
  const body = unpackedForm(content, limits.rawBytes + FORM_BYTES);
  const isMixed = mediaTypeOf(content.contentType) === 'multipart/mixed';
  const parts = formParts(body, boundary, isMixed ? mixedPartHeadOf : partHeadOf);
  const form = new FormReader(parts, limits.rawBytes, fieldFaults);
  return {
    bytes: form.bytes(),
    maxBytes: limits.rawBytes,
    convertedFrom: () => form.page,
    stated: () => form.stated(),
    digest: () => form.digest(),
  };
}

/** The digest that identifies a form under an Idempotency-Key: its fields and the hashes of its files. */
export async function digestOfRawForm(
  content: RawContent,
  limits: RouteServices['limits'],
  fieldFaults: Validator,
): Promise<string> {
  const form = rawFormOf(content, limits, fieldFaults);
  for await (const _ of form.bytes);
  return form.digest();
}

const unpackedForm = (content: RawContent, maxBytes: number): AsyncIterable<Buffer> =>
  content.isGzip ? unpacked(nonEmpty(content), { isGzip: true, maxBytes }) : nonEmpty(content);

class FormReader {
  page: EbcdicPage | undefined;
  readonly #parts: AsyncIterable<FormPart>;
  readonly #maxBytes: number;
  readonly #fieldFaults: Validator;
  readonly #fields: Record<string, string | boolean> = {};
  readonly #fileHashes: string[] = [];
  readonly #mediaTypes = new Set<string>();

  constructor(parts: AsyncIterable<FormPart>, maxBytes: number, fieldFaults: Validator) {
    this.#parts = parts;
    this.#maxBytes = maxBytes;
    this.#fieldFaults = fieldFaults;
  }

  stated(): Statements {
    const { format, source_system: sourceSystem, strict, tenant_id: tenantId } = this.#fields;
    const [mediaType] = this.#mediaTypes.size === 1 ? this.#mediaTypes : [];
    return {
      contentType: mediaType,
      ...(typeof format === 'string' ? { format } : {}),
      ...(typeof sourceSystem === 'string' ? { sourceSystem } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
      ...(typeof tenantId === 'string' ? { tenantId } : {}),
    };
  }

  digest(): string {
    const { tenant_id: _, ...fields } = this.#fields;
    return createHash('sha256')
      .update(canonicalJson({ fields, files: this.#fileHashes }))
      .digest('hex');
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for await (const part of this.#parts) {
      if (part.filename === null && !MESSAGE_NAMES.has(part.name)) await this.#takeField(part);
      else yield* this.#file(part);
    }
    if (this.#fileHashes.length === 0) {
      throw refusedField('/file', 'required', 'A form must have at least one file.');
    }
    const errors = this.#fieldFaults(this.#fields);
    if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  }

  async *#file(part: FormPart): AsyncGenerator<Buffer> {
    if (this.#fileHashes.length === MOST_FILES) {
      throw refusedField('/file', 'length', `A form has at most ${MOST_FILES} files.`);
    }
    if (part.mediaType !== null) this.#mediaTypes.add(part.mediaType);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of part.body) {
        sizeBytes += piece.length;
        hash.update(piece);
        yield piece;
      }
    };
    if (this.#fileHashes.length > 0) yield Buffer.from('\n');
    const whole = unpacked(counted(), { isGzip: false, maxBytes: this.#maxBytes });
    yield* fromEbcdic(whole, (page) => {
      this.page = page;
    });
    if (sizeBytes === 0) throw refusedField('/file', 'length', 'A file is empty.');
    this.#fileHashes.push(hash.digest('hex'));
  }

  async #takeField(part: FormPart): Promise<void> {
    const path = `/${part.name.slice(0, 100)}`;
    if (!isStatement(part.name)) {
      throw refusedField(path, 'unknown_field', `Unknown field. The fields are file, ${STATEMENT_NAMES.join(', ')}.`);
    }
    if (Object.hasOwn(this.#fields, part.name)) throw refusedField(path, 'repeated', 'Must be given once.');
    const text = await smallTextOf(part, path);
    this.#fields[part.name] = part.name === 'strict' ? booleanOf(text) : text;
  }
}

/** Another text stays, and the schema of the field refuses it. */
const booleanOf = (text: string): string | boolean => (text === 'true' ? true : text === 'false' ? false : text);
