import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { session } from './state/session.svelte.ts'

void session.open()
mount(App, { target: document.querySelector('#console')! })
