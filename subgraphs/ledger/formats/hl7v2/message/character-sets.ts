import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { decodeWestern } from '../../values/characters.js';

/** HL7 table 0211 (MSH-18) to names of TextDecoder. 8859/1 is read as its superset windows-1252, as browsers do. */
const DECODER_NAMES: Readonly<Record<string, string>> = {
  ASCII: 'us-ascii',
  'ISO IR6': 'us-ascii',
  '8859/1': 'windows-1252',
  '8859/2': 'iso-8859-2',
  '8859/3': 'iso-8859-3',
  '8859/4': 'iso-8859-4',
  '8859/5': 'iso-8859-5',
  '8859/6': 'iso-8859-6',
  '8859/7': 'iso-8859-7',
  '8859/8': 'iso-8859-8',
  '8859/9': 'windows-1254',
  '8859/15': 'iso-8859-15',
  'ISO IR14': 'shift_jis',
  'ISO IR87': 'iso-2022-jp',
  'ISO IR159': 'iso-2022-jp',
  'GB 18030-2000': 'gb18030',
  'KS X 1001': 'euc-kr',
  'BIG-5': 'big5',
  UNICODE: 'utf-8',
  'UNICODE UTF-8': 'utf-8',
  'UTF-8': 'utf-8',
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Null for bytes that need no decoder of their own: ASCII, and windows-1252, which `decodeWestern` reads. */
function decoderOf(name: string | null): TextDecoder | null {
  if (name === null || name === 'us-ascii' || name === 'windows-1252') return null;
  return name === 'utf-8' ? utf8 : new TextDecoder(name, { fatal: true });
}

export type CharacterFault = 'CHARSET_UNKNOWN' | 'CHARSET_MISMATCH';

/**
 * Decodes the character set in MSH-18. Invalid bytes are decoded as UTF-8, else as windows-1252, with a warning, so
 * that a wrong label loses no name.
 */
export class CharacterSet {
  /** The faults found so far; null if there are none. */
  fault: CharacterFault | null = null;
  readonly #decoder: TextDecoder | null;
  /** True for ISO 2022: its escape sequences are ASCII bytes, so even plain-looking text must be decoded. */
  readonly #plainWhenAscii: boolean;
  readonly #isWestern: boolean;

  private constructor(name: string | null, known: boolean) {
    this.#decoder = decoderOf(name);
    this.#isWestern = name === 'windows-1252';
    this.#plainWhenAscii = name !== 'iso-2022-jp';
    if (!known) this.fault = 'CHARSET_UNKNOWN';
  }

  /** @param named the first repetition of MSH-18. */
  static of(named: string): CharacterSet {
    if (named === '') return new CharacterSet(null, true);
    const name = DECODER_NAMES[named.toUpperCase().replace(/^ISO[ -]?8859-/, '8859/')];
    return new CharacterSet(name ?? null, name !== undefined);
  }

  /** True if text with these bytes needs no decoding. */
  isPlain(bytes: Uint8Array): boolean {
    return this.#plainWhenAscii && isAscii(bytes);
  }

  decode(bytes: Uint8Array): string {
    if (this.#isWestern) return decodeWestern(bytes);
    try {
      return (this.#decoder ?? utf8).decode(bytes);
    } catch {
      return this.#decodeOtherwise(bytes);
    }
  }

  #decodeOtherwise(bytes: Uint8Array): string {
    this.fault ??= 'CHARSET_MISMATCH';
    try {
      return utf8.decode(bytes);
    } catch {
      return decodeWestern(bytes);
    }
  }
}
