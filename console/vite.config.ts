import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [svelte()],
  resolve: { conditions: ['@plumbline/source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    assetsDir: 'assets',
    // Every asset is a file of its own: the policy of the page allows no `data:` in styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
    chunkSizeWarningLimit: 700,
  },
})
