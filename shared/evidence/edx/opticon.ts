import type { ExportRecord } from './export-record.js';

// Opticon (OPT): a line for each image, `image,volume,path,document break,box break,folder break,pages`. Review platforms take
// PDF and JPEG files as images. A document is one such file, so each line begins a document; pages are counted by the platform.

const IMAGE_TYPES: ReadonlySet<string> = new Set(['application/pdf', 'image/jpeg']);

/** Returns the line of a record, or null for one that is no image. */
export const opticonLine = (record: ExportRecord, volume: string): string | null => {
  const { control_number, native_path, media_type } = record;
  if (native_path === null || !IMAGE_TYPES.has(media_type)) return null;
  return `${control_number},${volume},${native_path},Y,,,\r\n`;
};
