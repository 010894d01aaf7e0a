import { z } from 'zod';

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

const HIGHEST = 65_535;

/** `2575-2674`, one port, or 0 for any. */
export const portRange = z.string().transform((text, context): PortRange => {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  const any = from === 0 && to === 0;
  if (first !== '' && (any || (from >= 1 && from <= to && to <= HIGHEST))) return { from, to };
  context.addIssue({ code: 'custom', message: 'ports such as 2575-2674, or 0' });
  return z.NEVER;
});
