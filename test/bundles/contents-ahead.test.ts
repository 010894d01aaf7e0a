import { describe, expect, test } from '@jest/globals';
import { ContentsAhead } from '../../subgraphs/bundles/adapters/contents-ahead.js';

class Store {
  readonly opened: string[] = [];
  readonly ended: string[] = [];

  async *read(sha256: string): AsyncGenerator<Buffer> {
    this.opened.push(sha256);
    try {
      if (sha256 === 'bad') throw new Error('the content is damaged');
      yield Buffer.from(`${sha256}1`);
      yield Buffer.from(`${sha256}2`);
    } finally {
      this.ended.push(sha256);
    }
  }
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const part of content) text += part.toString();
  return text;
}

describe('ContentsAhead', () => {
  test('gives every content in turn, each opened and ended once, and the next one begun meanwhile', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'b', 'c'], (sha256) => store.read(sha256));
    expect(await textOf(contents.read(0))).toBe('a1a2');
    expect(store.opened).toEqual(['a', 'b']);
    expect(await textOf(contents.read(1))).toBe('b1b2');
    expect(await textOf(contents.read(2))).toBe('c1c2');
    await contents.close();
    expect({ opened: store.opened, ended: store.ended }).toEqual({ opened: ['a', 'b', 'c'], ended: ['a', 'b', 'c'] });
  });

  test('ends what was begun in advance when the reading stops, or goes on elsewhere', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'b', 'c'], (sha256) => store.read(sha256));
    await textOf(contents.read(0));
    expect(await textOf(contents.read(2))).toBe('c1c2');
    await textOf(contents.read(0));
    await contents.close();
    expect(store.ended.sort()).toEqual(store.opened.sort());
  });

  test('tells of a damaged content when its turn comes, not before', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'bad'], (sha256) => store.read(sha256));
    expect(await textOf(contents.read(0))).toBe('a1a2');
    await expect(textOf(contents.read(1))).rejects.toThrow('damaged');
    await contents.close();
  });
});
