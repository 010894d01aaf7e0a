import { MongoError } from '../errors.js';
import { QueryStream } from './document-stream.js';
import type { TimeSlice } from './time-slice.js';

/**
 * A capped collection read to its end and beyond. When the document last read has been dropped from the front, others
 * may have gone with it unread: the cursor ends with an error instead of leaving a gap.
 */
export class TailStream extends QueryStream {
  override next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined {
    if (this.execution.lostPosition()) {
      throw new MongoError(136, 'CollectionScan died due to position in capped collection being deleted');
    }
    return super.next(slice);
  }
}
