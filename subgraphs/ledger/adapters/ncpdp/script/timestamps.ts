import { parseDate, toInstant } from '../../x12/dates.js';

const pattern =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

export interface ReadTime {
  readonly timestamp: string;
  readonly basis: string;
}

/** The instant of an XML date or time: by its own offset, else in the given zone; null when it cannot be read. */
export function readTime(text: string, name: string, zone: string): ReadTime | null {
  const found = pattern.exec(text);
  if (found === null) return null;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', offset = ''] =
    found;
  const date = parseDate(year + month + day);
  if (date === null) return null;
  const time = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (offset === '') return { timestamp: toInstant(date, time, zone), basis: `${name} read as ${zone}` };
  const shift = offset === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return { timestamp: new Date(`${date}T${time}${shift}`).toISOString(), basis: `${name} with offset ${offset}` };
}

/** `YYYY-MM-DD` of a date or of a time's day; '' when unreadable. */
export function readDay(text: string): string {
  const found = pattern.exec(text);
  return found === null ? '' : (parseDate(`${found[1]}${found[2]}${found[3]}`) ?? '');
}
