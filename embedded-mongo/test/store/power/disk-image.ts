/** A record of the journal that record-writes.c writes. */
interface JournalRecord {
  readonly kind: string;
  readonly number: number;
  readonly bytes: Buffer;
  /** Where the record ends in the journal. */
  readonly end: number;
}

const HEAD_BYTES = 13;
/** A disk writes a sector wholly or not at all. */
const SECTOR_BYTES = 512;

export function readJournal(journal: Buffer): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let at = 0; at + HEAD_BYTES <= journal.length; ) {
    const end = at + HEAD_BYTES + journal.readUInt32LE(at + 9);
    if (end > journal.length) break;
    const kind = String.fromCharCode(journal.readUInt8(at));
    records.push({
      kind,
      number: Number(journal.readBigUInt64LE(at + 1)),
      bytes: journal.subarray(at + HEAD_BYTES, end),
      end,
    });
    at = end;
  }
  return records;
}

/** Decides whether a sector that was not flushed is on the disk. */
export type Survives = () => boolean;

/** The file after a power cut at the end of `records`: every flushed write, and of the others the surviving sectors. */
export function imageAfterCut(records: readonly JournalRecord[], survives: Survives): Buffer {
  const flushed = flushedUpTo(records);
  let image = Buffer.alloc(0);
  const put = (offset: number, bytes: Buffer): void => {
    if (image.length < offset + bytes.length)
      image = Buffer.concat([image, Buffer.alloc(offset + bytes.length - image.length)]);
    bytes.copy(image, offset);
  };
  for (const [i, { kind, number, bytes }] of records.entries()) {
    if (kind === 'T')
      image =
        number <= image.length
          ? image.subarray(0, number)
          : Buffer.concat([image, Buffer.alloc(number - image.length)]);
    else if (kind === 'D' || (kind === 'W' && i < flushed)) put(number, bytes);
    else if (kind === 'W')
      for (let at = 0; at < bytes.length; at += SECTOR_BYTES)
        if (survives()) put(number + at, bytes.subarray(at, at + SECTOR_BYTES));
  }
  return image;
}

/** The first record that no completed flush covers. A flush covers the writes before its beginning. */
function flushedUpTo(records: readonly JournalRecord[]): number {
  const begun = new Map<number, number>();
  let flushed = 0;
  for (const [i, { kind, number }] of records.entries()) {
    if (kind === 'B') begun.set(number, i);
    if (kind === 'E') flushed = Math.max(flushed, begun.get(number) ?? 0);
  }
  return flushed;
}
