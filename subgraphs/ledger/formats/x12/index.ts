import { adapterOf } from '../emit.js';
import { X12Acknowledger } from './acknowledge/acknowledger.js';
import { InterchangeReader } from './envelope/interchange-reader.js';

/** X12 health-care transactions of versions 004010 and 005010: the sets of `transactions.ts`. Rejects others by name. */
export const x12Adapter = adapterOf(
  'x12',
  (options) => new InterchangeReader(options),
  (about) => new X12Acknowledger(about),
);
