/** Builds the page into static files that the server sends. `scripts/build-page.mjs` runs it. */
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// Vite reads the default export of its configuration.
// eslint-disable-next-line no-restricted-syntax
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../../build/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Nothing may be inlined as data: the content security policy allows images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  },
  // For work on the page itself: `vite src/dashboard` beside a running server.
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:8080' } }
})
