// Control numbers of a production: one for each record, in the order of the manifest, events before documents. They follow
// from the sealed manifest alone, so that every export of a bundle, in every format, numbers alike.

const MIN_DIGITS = 7;
/** Of a ULID; enough to tell the bundles of one matter apart. */
const PREFIX_CHARACTERS = 8;

/** What counsel may put before the digits in place of ours. */
export const CONTROL_PREFIX_PATTERN = '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,30}[A-Za-z0-9])?$';

/** `EAS-<end of the bundle's identifier>`. */
export const defaultControlPrefix = (bundleId: string): string => `EAS-${bundleId.slice(-PREFIX_CHARACTERS)}`;

/** @param ordinal from 1 */
export const controlNumber = (prefix: string, ordinal: number): string =>
  `${prefix}-${String(ordinal).padStart(MIN_DIGITS, '0')}`;
