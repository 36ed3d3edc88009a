// The recommended rules. The page's scripts are plain scripts that share their functions: chart.js defines what
// report.js and page.js use.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const packages = createRequire(resolve(process.env.BROWSER || '.build/browser', 'x'));
const js = packages('@eslint/js'), globals = packages('globals');

const shared = Object.fromEntries(['made', 'drawn', 'limited', 'counted', 'valueText', 'upTo', 'smoothed', 'Board', 'Chart', 'tableOf', 'shade', 'attentionMap', 'arrows', 'explorable', 'chartOfRun']
  .map(name => [name, 'readonly']));
export default [
  js.configs.recommended,
  { rules: { 'no-control-regex': 'off', 'no-unused-vars': ['error', { varsIgnorePattern: '^_$' }] } },
  { files: ['train/**/*.js'], languageOptions: { sourceType: 'script' } },
  { files: ['train/report/*.js', 'train/page/page.js'], languageOptions: { globals: globals.browser } },
  { files: ['train/report/chart.js'], rules: { 'no-unused-vars': ['error', { vars: 'local' }] } },
  { files: ['train/report/report.js', 'train/page/page.js'], languageOptions: { globals: shared } },
  { files: ['train/page/worker.js'], languageOptions: { globals: { ...globals.worker, Gradus: 'readonly' } } },
  // The book's live figures and the site's pages: after chart.js, live.js; the worker's part after train/page/worker.js.
  { files: ['tests/book/live/*.js', 'tests/site/*.js'], languageOptions: { sourceType: 'script',
    globals: { ...globals.browser, ...shared, live: 'readonly', short: 'readonly', some: 'readonly', fitted: 'readonly', spelled: 'readonly', leftOut: 'readonly', engine: 'readonly', Engine: 'readonly', requests: 'readonly', answer: 'readonly', withText: 'readonly' } } },
  { files: ['tests/site/search.js'], languageOptions: { sourceType: 'module' } },
  { files: ['tests/book/live/live.js'], rules: { 'no-redeclare': 'off', 'no-unused-vars': ['error', { vars: 'local' }] } },
  { files: ['tests/browser/*.mjs'], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
