import { parseDate, parseTime, toInstant } from './dates.js';
import type { ReadingOptions } from './transaction-context.js';

export interface EffectiveTime {
  timestamp: string;
  /** What the timestamp was made of, for `payload.timestamp_basis`. */
  basis: string;
  /** True when it is the time of receipt. */
  received: boolean;
}

/** One place a transaction may be dated from, in the order they are tried. */
export interface DateSource {
  date: string;
  time: string;
  /** Elements, such as `BHT04+BHT05`. */
  dateName: string;
  timeName?: string;
}

/** The instant of the first source that holds a date, read in the tenant's zone (X12 names none); else the time of receipt. */
export function effectiveTime(sources: readonly DateSource[], options: ReadingOptions): EffectiveTime {
  for (const source of sources) {
    const date = parseDate(source.date);
    if (date === null) continue;
    const time = parseTime(source.time);
    const from =
      time === null || source.timeName === undefined ? source.dateName : `${source.dateName}+${source.timeName}`;
    const timestamp = toInstant(date, time ?? '00:00:00.000', options.zone);
    return { timestamp, basis: `${from} read as ${options.zone}`, received: false };
  }
  return { timestamp: options.receivedAt, basis: 'received', received: true };
}
