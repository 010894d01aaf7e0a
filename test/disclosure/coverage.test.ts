import { describe, expect, it } from '@jest/globals';
import { uncoveredRoutes } from './rest-questions.js';

describe('the questions of disclosure', () => {
  it('ask each route that reads, or name the reason why not', () => {
    expect(uncoveredRoutes()).toEqual([]);
  });
});
