import { adapterOf } from '../emit.js';
import { CdaReader } from './reader.js';

/** C-CDA: clinical documents in XML (HL7 CDA R2), one or several. Their senders expect no acknowledgement. */
export const cdaAdapter = adapterOf('cda', (options) => new CdaReader(options));
