import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../../shared/crypto/crc32.js';

export interface ZipPart {
  readonly name: string;
  readonly bytes: Buffer;
  /** Of the entry: 1 is encrypted. */
  readonly flags?: number;
  readonly method?: number;
  /** In place of the deflated bytes. */
  readonly packed?: Buffer;
  /** What the directory says of its size, where it lies. */
  readonly saysBytes?: number;
  /** The wrong offset that the directory states. */
  readonly at?: number;
}

/** A ZIP as it is laid down in APPNOTE.TXT, and as liars write it. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const {
    name,
    bytes,
    flags = 0,
    method = 8,
    packed = deflateRawSync(bytes),
    saysBytes = bytes.length,
    at,
  } of parts) {
    const middle = Buffer.alloc(26);
    middle.writeUInt16LE(20, 0);
    middle.writeUInt16LE(flags, 2);
    middle.writeUInt16LE(method, 4);
    middle.writeUInt32LE(crc32(bytes), 10);
    middle.writeUInt32LE(packed.length, 14);
    middle.writeUInt32LE(saysBytes, 18);
    middle.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), middle, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at ?? offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), middle, rest, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, list, Buffer.from('PK\u0005\u0006', 'latin1'), end]);
}
