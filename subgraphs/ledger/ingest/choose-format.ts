import { fault, problem } from '../../../shared/errors/problem.js';
import {
  formatOfMediaType,
  isRawFormat,
  looksLikeUtf16,
  RAW_FORMATS,
  type RawFormat,
  sniffFormat,
} from '../formats/domain.js';

const NOT_TEXT =
  'The body is UTF-16 or compressed (NUL bytes). Send it uncompressed and in the encoding of its format.';

interface StatedFormat {
  /** The `format` parameter, or the wrapper's, in any case. */
  readonly format?: string | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Chooses the format of a body: the parameter, else the Content-Type, else the bytes. The bytes must not contradict the
 * stated format.
 *
 * @throws MALFORMED_BODY for an empty or UTF-16 body, VALIDATION_ERROR for an unknown or contradicted format,
 * UNSUPPORTED_MEDIA_TYPE if the format is unknown.
 */
export function chooseFormat(stated: StatedFormat, head: Uint8Array): RawFormat {
  if (head.length === 0) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
  if (looksLikeUtf16(head)) throw problem('MALFORMED_BODY', { message: NOT_TEXT });
  const named = namedFormat(stated);
  const sniffed = sniffFormat(head);
  if (named === undefined) {
    if (sniffed === undefined) {
      throw problem('UNSUPPORTED_MEDIA_TYPE', {
        message: `The body is in none of the formats ${RAW_FORMATS.join(', ')}.`,
      });
    }
    return sniffed;
  }
  if (named === sniffed) return named;
  const seen = sniffed === undefined ? 'the body does not look like it' : `the body looks like ${sniffed}`;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/format', 'contradiction', `The format given is ${named}; ${seen}.`)],
  });
}

function namedFormat({ format, contentType }: StatedFormat): RawFormat | undefined {
  if (format === undefined || format === '')
    return contentType === undefined ? undefined : formatOfMediaType(contentType);
  const word = format.toLowerCase();
  if (isRawFormat(word)) return word;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/format', 'enum', `Must be one of ${RAW_FORMATS.join(', ')}.`)],
  });
}
