import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app.jsx';
import { Engine } from './engine.js';

render(<App engine={new Engine()} />, document.getElementById('app'));
