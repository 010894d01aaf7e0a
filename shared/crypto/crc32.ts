import { crc32 as zlibCrc32 } from 'node:zlib';

/** CRC-32 (ISO-HDLC, the one of ZIP and Ethernet) as an unsigned number: finds slips of the hand, proves nothing. */
export const crc32 = (data: Uint8Array | string): number => zlibCrc32(data);
