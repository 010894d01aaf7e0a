import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Position } from './ports/format-adapter.js';
import type { IngestWarning } from './ports/ingest-store.js';

/** What an adapter says about a place, whatever it says of it. */
export interface Placed {
  readonly segment?: string;
  readonly element?: number;
  readonly position?: Position;
}

export interface WarningSource extends Placed {
  readonly code: string;
  readonly message: string;
}

/** A place in the body as answers name it: nothing of it is personal. */
export function positionView({ segment, element, position }: Placed): JsonObject {
  return {
    ...(segment === undefined ? {} : { segment }),
    ...(element === undefined ? {} : { element }),
    ...(position === undefined ? {} : { byte_offset: position.byteOffset, segment_number: position.segmentNumber }),
    ...(position?.transactionPosition === undefined ? {} : { transaction_position: position.transactionPosition }),
  };
}

export const warningViews = (warnings: readonly WarningSource[], limit: number): IngestWarning[] =>
  warnings.slice(0, Math.max(0, limit)).map((warning) => {
    const position = positionView(warning);
    const { code, message } = warning;
    return Object.keys(position).length > 0 ? { code, message, position } : { code, message };
  });
