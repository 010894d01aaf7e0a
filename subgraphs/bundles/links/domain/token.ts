import { linkTokens } from '../../../../shared/ids/link-token.js';

const TOKENS = linkTokens('ebl', 'bundleLink');

export const linkIdIn = TOKENS.idIn;
export const linkToken = TOKENS.tokenOf;
