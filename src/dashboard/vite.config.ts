/** Builds the page into static files that the server sends. `scripts/build-page.mjs` runs it. */
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

/** React Aria brings its own words in some thirty languages; the page speaks three. The others would be a fifth of the first load. */
const OTHER_LANGUAGES = /\/(react-aria|react-aria-components|react-stately)\/.*\/intl\/.*\/(?!en-US|de-DE|es-ES)[a-z]{2}-[A-Z]{2}\.m?js$/
const dropOtherLanguages: Plugin = {
  name: 'drop-other-languages',
  enforce: 'pre',
  load: (id) => OTHER_LANGUAGES.test(id) ? 'export default {}' : undefined
}

/** Small modules that every page needs first: they compress best together. */
const FIRST = new RegExp('/dashboard/(ui/(appearance|copy|title|Badge|Menu|Progress|Skeleton)|' +
  'i18n/use-said|recordings/(clock|deletion|events|next-options|times|upload-list))\\.')

// Vite reads the default export of its configuration.
// eslint-disable-next-line no-restricted-syntax
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [dropOtherLanguages, react()],
  build: {
    outDir: fileURLToPath(new URL('../../build/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Nothing may be inlined as data: the content security policy allows images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What many pages share is one file. Thirty small ones compress worse, by more than what a first visitor fetches too much.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', test: FIRST, priority: 1 }, { name: 'shared', minShareCount: 9 }] } }
    }
  },
  experimental: {
    // Scripts find each other relative to themselves, in whatever folder a proxy publishes the appliance; the server adapts index.html.
    renderBuiltUrl: (_file, { hostType }) => hostType === 'html' ? undefined : { relative: true }
  },
  // For work on the page itself: `vite src/dashboard` beside a running server.
  server: { host: '127.0.0.1', proxy: { '/api/v1': 'http://127.0.0.1:8080' } }
})
