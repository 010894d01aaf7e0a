import { userInfo } from 'node:os';

/** Options of a command that records who ran it and why: `--reason TEXT [--by NAME]`. */
export const ORDER_OPTIONS = {
  reason: { type: 'string', default: '' },
  by: { type: 'string', default: userInfo().username },
} as const;
