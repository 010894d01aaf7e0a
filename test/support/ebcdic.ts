/** Code page 037 of the printable characters that X12 uses, from IBM's tables. */
const PAGE = new Map<string, number>([
  [' ', 0x40],
  ['.', 0x4b],
  ['+', 0x4e],
  ['|', 0x4f],
  ['&', 0x50],
  ['!', 0x5a],
  ['$', 0x5b],
  ['*', 0x5c],
  [')', 0x5d],
  [';', 0x5e],
  ['-', 0x60],
  ['/', 0x61],
  [',', 0x6b],
  ['%', 0x6c],
  ['_', 0x6d],
  ['>', 0x6e],
  ['?', 0x6f],
  [':', 0x7a],
  ['#', 0x7b],
  ['@', 0x7c],
  ["'", 0x7d],
  ['=', 0x7e],
  ['"', 0x7f],
  ['~', 0xa1],
  ['<', 0x4c],
  ['(', 0x4d],
  ['^', 0xb0],
  ['[', 0xba],
  [']', 0xbb],
  ['\n', 0x25],
  ...[...'abcdefghi'].map((letter, at) => [letter, 0x81 + at] as const),
  ...[...'jklmnopqr'].map((letter, at) => [letter, 0x91 + at] as const),
  ...[...'stuvwxyz'].map((letter, at) => [letter, 0xa2 + at] as const),
  ...[...'ABCDEFGHI'].map((letter, at) => [letter, 0xc1 + at] as const),
  ...[...'JKLMNOPQR'].map((letter, at) => [letter, 0xd1 + at] as const),
  ...[...'STUVWXYZ'].map((letter, at) => [letter, 0xe2 + at] as const),
  ...[...'0123456789'].map((digit, at) => [digit, 0xf0 + at] as const),
]);
/** Where code page 1047 has other bytes. */
const OTHER = new Map([
  ['^', 0x5f],
  ['[', 0xad],
  [']', 0xbd],
  ['\n', 0x15],
]);

/** A text in EBCDIC; characters that X12 does not use become question marks. */
export const ebcdic = (text: string, page: 'cp037' | 'cp1047'): Buffer =>
  Buffer.from([...text].map((one) => (page === 'cp1047' ? OTHER.get(one) : undefined) ?? PAGE.get(one) ?? 0x6f));
