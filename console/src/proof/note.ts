import { type Bytes, hexOf, joined, ofBase64, sha256, utf8 } from './bytes';

// A checkpoint (C2SP tlog-checkpoint) as the text of a signed note (C2SP signed-note).

interface OpenedNote {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** The log's signature over the text, checked with the key. */
  readonly signed: boolean;
  /** Names of the witnesses that signed. A reader gets their keys from them. */
  readonly others: readonly string[];
}

const KEY_ID_BYTES = 4;
const ED25519_NOTE = 1;

/** @param verifierKey `name+id+key` */
export async function openNote(note: string, verifierKey: string): Promise<OpenedNote> {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [origin = '', size = '', root = ''] = text.split('\n');
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => {
      const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      return name === '' ? [] : [{ name, bytes: ofBase64(encoded) }];
    });
  const [, name = '', id = '', encodedKey = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? [];
  const key = ofBase64(encodedKey);
  const ownId = await sha256(utf8(`${name}\n`), key);
  const isOwnKey = key[0] === ED25519_NOTE && hexOf(ownId.subarray(0, KEY_ID_BYTES)) === id && name === origin;
  const own = signatures.find((one) => one.name === name && hexOf(one.bytes.subarray(0, KEY_ID_BYTES)) === id);
  const signed =
    isOwnKey && own !== undefined && (await verifies(key.slice(1), utf8(text), own.bytes.slice(KEY_ID_BYTES)));
  return {
    origin,
    size: Number(size),
    root: hexOf(ofBase64(root)),
    signed,
    others: signatures.filter((one) => one !== own).map((one) => one.name),
  };
}

/** Web Crypto where the browser has Ed25519, else the same arithmetic in script. */
async function verifies(publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, message);
  } catch {
    const { ed25519 } = await import('@noble/curves/ed25519');
    return ed25519.verify(signature, joined(message), publicKey, { zip215: false });
  }
}
