*** Settings ***
Suite Teardown    Fail    books do not balance
