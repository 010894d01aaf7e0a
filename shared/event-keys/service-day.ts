import { isJsonObject, type JsonObject } from '../json/strict-json.js';

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** The first day of a service as a payload states it, with the pointer of its field; null if it states none. */
export function statedServiceDay(payload: JsonObject): { readonly field: string; readonly value: string } | null {
  const period = payload['service_period'];
  const from = isJsonObject(period) ? period['from'] : undefined;
  if (typeof from === 'string' && DAY.test(from)) {
    return { field: '/payload/service_period/from', value: from.slice(0, 10) };
  }
  const stated = payload['service_date'];
  if (typeof stated !== 'string' || !DAY.test(stated)) return null;
  return { field: '/payload/service_date', value: stated.slice(0, 10) };
}
