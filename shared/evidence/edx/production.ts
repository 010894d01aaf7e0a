import { fault, problem } from '../../errors/problem.js';
import { isJsonObject, type JsonValue } from '../../json/strict-json.js';
import { type WrittenEntry, zipOf } from '../../zip/write-archive.js';
import { edrmXml } from './edrm-xml.js';
import type { ExportRecord, ShippedRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';
import { loadPath, productionPath, volumeName } from './file-names.js';
import { concordanceDat, csvLoadFile } from './load-file.js';
import { opticonLine } from './opticon.js';
import { recordText } from './record-text.js';

// A production for review platforms: a ZIP with one native file and one text file a record, and the load files that name them.
// Large bundles are produced in volumes, as platforms load them.

/** The volumes of a bundle must stay the same between two requests, so this is no setting. */
const RECORDS_PER_VOLUME = 50_000;
const EXTRACTED = 'EXTRACTED';

/** Extracts the texts of documents. */
export interface Texts {
  /** Larger documents get no text. */
  readonly maxBytes: number;
  /** Returns the text, or the code of the failure; a code never quotes content. */
  extract(mediaType: string, bytes: Uint8Array): Promise<{ readonly text: string } | { readonly fault: string }>;
}

/** Which part of a production to write, and with what. */
export interface ProductionWork {
  /** From 1. */
  readonly volume: number;
  readonly texts: Texts;
  readonly recordsPerVolume?: number;
}

/** Writes one volume. @throws VALIDATION_ERROR for a volume that the bundle does not have */
export async function* productionVolume(source: ExportSource, work: ProductionWork): AsyncGenerator<Uint8Array> {
  const { events, documents } = source.head.counts;
  const volumes = Math.max(1, Math.ceil((events + documents) / perVolume(work)));
  if (work.volume > volumes) {
    const message = `The production of this bundle has ${volumes === 1 ? 'one volume' : `${volumes} volumes`}.`;
    throw problem('VALIDATION_ERROR', { errors: [fault('/volume', 'maximum', message)] });
  }
  yield* zipOf(entriesOf(source, work));
}

const perVolume = ({ recordsPerVolume = RECORDS_PER_VOLUME }: ProductionWork): number => recordsPerVolume;

/** Natives and texts first: only after them is known which texts there are. */
async function* entriesOf(source: ExportSource, work: ProductionWork): AsyncGenerator<WrittenEntry> {
  const name = volumeName(work.volume);
  const withoutText = new Map<string, string>();
  for await (const { shipped, place } of ofVolume(source.shipped(), work)) {
    const { record } = shipped;
    const paths = pathsOf(record, work, place);
    if (record.native_path === null) {
      withoutText.set(record.control_number, 'NO_CONTENT');
      continue;
    }
    yield nativeEntry(source, shipped, paths.native);
    const text = await textOf(source, shipped, work.texts);
    if ('text' in text) yield bufferEntry(paths.text, Buffer.from(text.text));
    else withoutText.set(record.control_number, text.fault);
  }
  const placed: ExportSource = { ...source, records: () => placedRecords(source, work, withoutText) };
  yield textEntry(`${name}/DATA/${name}.dat`, () => concordanceDat(placed.records()));
  yield textEntry(`${name}/DATA/${name}.csv`, () => csvLoadFile(placed.records()));
  yield textEntry(`${name}/DATA/${name}.xml`, () => edrmXml(placed));
  const images: string[] = [];
  for await (const record of placed.records()) images.push(opticonLine(record, name) ?? '');
  // Platforms reject an empty file.
  const opt = images.join('');
  if (opt !== '') yield bufferEntry(`${name}/DATA/${name}.opt`, Buffer.from(opt));
}

const pathsOf = ({ control_number, file_extension }: ExportRecord, { volume }: ProductionWork, place: number) => ({
  native: productionPath(volume, 'NATIVES', place, control_number, file_extension ?? 'bin'),
  text: productionPath(volume, 'TEXT', place, control_number, 'txt'),
});

/** The records of the volume, with their places in it from 0. */
async function* ofVolume(shipped: AsyncIterable<ShippedRecord>, work: ProductionWork) {
  const first = (work.volume - 1) * perVolume(work);
  let at = -1;
  for await (const each of shipped) {
    at += 1;
    if (at >= first + perVolume(work)) return;
    if (at >= first) yield { shipped: each, place: at - first };
  }
}

/** Records as the load files of the volume name them. */
async function* placedRecords(
  source: ExportSource,
  work: ProductionWork,
  withoutText: ReadonlyMap<string, string>,
): AsyncGenerator<ExportRecord> {
  for await (const { shipped, place } of ofVolume(source.shipped(), work)) {
    const { record } = shipped;
    const paths = pathsOf(record, work, place);
    const lack = withoutText.get(record.control_number);
    yield {
      ...record,
      line: null,
      native_path: record.native_path === null ? null : loadPath(paths.native),
      text_path: lack === undefined ? loadPath(paths.text) : null,
      text_status: lack ?? EXTRACTED,
    };
  }
}

/** The line of an event is its native: its SHA-256 is that of the manifest. */
function nativeEntry(source: ExportSource, { record, line }: ShippedRecord, path: string): WrittenEntry {
  if (line !== null) return bufferEntry(path, Buffer.from(line));
  const { native_path, size_bytes } = record;
  return { path, size: size_bytes, content: () => kept(source.read(native_path ?? '')) };
}

/** Chunks of the store are valid until the next is read, and the writer's reader may hold one longer. */
async function* kept(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function textOf(
  source: ExportSource,
  { record, line }: ShippedRecord,
  texts: Texts,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (line !== null) {
    const shown: JsonValue = JSON.parse(line.toString('utf8'));
    return { text: isJsonObject(shown) ? recordText(shown) : '' };
  }
  const { native_path, media_type, size_bytes } = record;
  if (native_path === null) return { fault: 'NO_CONTENT' };
  if ((size_bytes ?? 0) > texts.maxBytes) return { fault: 'TOO_LARGE' };
  const chunks: Uint8Array[] = [];
  for await (const chunk of kept(source.read(native_path))) chunks.push(chunk);
  return texts.extract(media_type, Buffer.concat(chunks));
}

const bufferEntry = (path: string, content: Buffer): WrittenEntry => ({ path, size: content.length, content });

const textEntry = (path: string, pieces: () => AsyncIterable<string>): WrittenEntry => ({
  path,
  size: null,
  async *content() {
    for await (const piece of pieces()) yield Buffer.from(piece);
  },
});
