#!/bin/sh
kill "$(cat service.pid)"
