import { adapterOf } from '../emit.js';
import { Hl7Acknowledger } from './acknowledge.js';
import { Hl7Reader } from './reader.js';

/** HL7 v2 messages (2.1 to 2.8) in pipe notation: single, in sequence, in batches and files, in MLLP frames. */
export const hl7v2Adapter = adapterOf(
  'hl7v2',
  (options) => new Hl7Reader(options),
  () => new Hl7Acknowledger(),
);
