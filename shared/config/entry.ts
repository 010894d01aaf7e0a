import { z } from 'zod';

// The entries of tables of settings.

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
/** A whole number within bounds. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `between ${min} and ${max}`);

/** `default` is the text as it would stand in the environment; null means the variable may be absent. */
export interface ConfigEntry {
  readonly schema: z.ZodType<unknown, string>;
  readonly default: string | null;
  readonly meaning: string;
  /** May also be given as `<NAME>_FILE`, the path of a file that holds it. */
  readonly secret?: true;
}

/** An entry that may be absent or has a default. */
export const entry = <T extends z.ZodType<unknown, string>, D extends string | null>(
  schema: T,
  fallback: D,
  meaning: string,
) => ({
  schema,
  default: fallback,
  meaning,
});

/** Marks an entry that may also be given as a file. */
export const secret = <E extends ConfigEntry>(plain: E) => ({ ...plain, secret: true as const });

export type ConfigTable = Readonly<Record<string, ConfigEntry>>;

type Parsed<E extends ConfigEntry> = E['default'] extends string ? z.output<E['schema']> : z.output<E['schema']> | null;
/** The values of a table's variables. */
export type ValuesOf<T extends ConfigTable> = { readonly [N in keyof T]: Parsed<T[N]> };

/** A configuration that is refused; its message repeats no value. */
export class ConfigError extends Error {}
