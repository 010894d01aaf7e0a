import anyAscii from 'any-ascii';

/** Letters of any script by those of ASCII, one by one (Ж, 李, م): pure, and the same on every machine. */
export const romanise = (text: string): string => anyAscii(text);
